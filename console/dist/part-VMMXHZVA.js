import{b as r}from"./part-FSPSLJLV.js";import{td as o}from"./part-DIFGIVDA.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
