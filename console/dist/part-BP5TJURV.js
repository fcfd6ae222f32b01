import{b as r}from"./part-XFWHQNAK.js";import{yd as o}from"./part-47RLAWIE.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
