import{b as r}from"./part-OFVBWLUE.js";import{qd as o}from"./part-XQYS7N3L.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
