import{b as r}from"./part-VNNVOD3X.js";import{yd as o}from"./part-45467HXL.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
