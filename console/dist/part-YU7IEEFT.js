import{b as r}from"./part-4PTKY6VP.js";import{yd as o}from"./part-HY33GGAD.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
