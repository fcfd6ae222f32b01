import{b as r}from"./part-MKAB2ULL.js";import{sd as o}from"./part-6EWAIQ7C.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
