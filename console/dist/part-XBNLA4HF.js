import{b as r}from"./part-O4HOWRUA.js";import{yd as o}from"./part-APZB6TDI.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
