// What TypeScript knows of Vue's files.
declare module "*.vue" {
  const component: import("vue").Component;
  export default component;
}
