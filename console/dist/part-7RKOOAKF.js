import{b as r}from"./part-6FZJJAFE.js";import{yd as o}from"./part-2RQVS454.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
