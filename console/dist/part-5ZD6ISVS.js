import{b as r}from"./part-R5EHN6FX.js";import{wd as o}from"./part-LDA4C6QE.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
