import{b as r}from"./part-GRDUSD42.js";import{yd as o}from"./part-C336DUE6.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
