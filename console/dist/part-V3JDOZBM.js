import{b as r}from"./part-EILU2AB3.js";import{rd as o}from"./part-A2R43H76.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
