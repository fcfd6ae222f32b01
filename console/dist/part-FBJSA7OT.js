import{b as r}from"./part-FAWVNFJE.js";import{wd as o}from"./part-RFSIN7D2.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
