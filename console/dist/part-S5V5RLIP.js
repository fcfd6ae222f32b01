import{g as e}from"./part-W4Q2OBG6.js";var m=e(null);function s(o){return[...o].some(({dirty:t,busy:r})=>t.peek()&&!r.peek())}export{m as a,s as b};
