import{b as r}from"./part-ECHIVICQ.js";import{yd as o}from"./part-5HBTZNSO.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
