import{b as r}from"./part-2IKSXBNL.js";import{yd as o}from"./part-636CD6DW.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
