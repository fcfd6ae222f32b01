import{b as r}from"./part-LW6WH5RH.js";import{wd as o}from"./part-MNQW6RK6.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
