import{b as r}from"./part-PM6B6F2U.js";import{ud as o}from"./part-G6ZVESNB.js";function e({open:l,...a}){return l?o(r,{...a,look:"drawer"}):null}export{e as a};
