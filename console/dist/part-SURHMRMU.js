import{b as r}from"./part-DQTOHQAF.js";import{wd as o}from"./part-LLBPPECT.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
