import{g as e}from"./part-LLBPPECT.js";var s=new Set,m=e(null);function i(o){return[...o].some(({dirty:t,busy:r})=>t.peek()&&!r.peek())}export{s as a,m as b,i as c};
