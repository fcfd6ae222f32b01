import{b as r}from"./part-UGTQKLWV.js";import{sd as o}from"./part-6WXW5MWC.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
