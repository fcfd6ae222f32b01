import{b as r}from"./part-DLEW2GYW.js";import{yd as o}from"./part-NV6I2VLJ.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
