import{b as r}from"./part-7D3O3FO5.js";import{wd as o}from"./part-LMNZ5MEN.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
