import{b as r}from"./part-B44VOL7B.js";import{sd as o}from"./part-QBIT2QGV.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
