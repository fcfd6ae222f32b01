function s(i,r){let t=Date.now(),e,o=()=>{e=void 0,t=Date.now(),r()};return{ask(){if(e!==void 0)return;let n=t+i-Date.now();n<=0?o():e=setTimeout(o,n)},stop:()=>clearTimeout(e)}}export{s as a};
