import{b as r}from"./part-NMKDX6JD.js";import{yd as o}from"./part-W4Q2OBG6.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
