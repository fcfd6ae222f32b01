// A react-admin app on Quarterdeck: sign-in, users, documents and events, with the stock data provider.
import { createRoot } from "react-dom/client";
import {
  Admin,
  Create,
  Datagrid,
  DateField,
  DateTimeInput,
  Edit,
  EmailField,
  fetchUtils,
  List,
  ReferenceField,
  Resource,
  SearchInput,
  SelectInput,
  SimpleForm,
  TextField,
  TextInput,
} from "react-admin";
import simpleRestProvider from "ra-data-simple-rest";

const token = () => sessionStorage.getItem("token");
const httpClient = (url, options = {}) =>
  fetchUtils.fetchJson(url, { ...options, user: { authenticated: true, token: `Bearer ${token()}` } });
const dataProvider = simpleRestProvider("/api/rest", httpClient);

const authProvider = {
  async login({ username: email, password }) {
    const options = { method: "POST", body: JSON.stringify({ email, password }) };
    const { json } = await fetchUtils.fetchJson("/api/auth/login", options);
    sessionStorage.setItem("token", json.data.accessToken);
  },
  async logout() {
    if (token()) await httpClient("/api/auth/logout", { method: "POST" }).catch(() => {});
    sessionStorage.removeItem("token");
  },
  checkAuth: () => token() ? Promise.resolve() : Promise.reject(),
  checkError: ({ status }) => status === 401 ? Promise.reject() : Promise.resolve(),
  getIdentity: async () => (await httpClient("/api/rest/users/me")).json,
};

const search = [<SearchInput source="q" alwaysOn key="q" />];
const choices = (...names) => names.map((id) => ({ id, name: id }));

const people = (
  <SimpleForm>
    <TextInput source="name" />
    <TextInput source="email" />
    <SelectInput source="status" choices={choices("active", "inactive", "suspended")} defaultValue="active" />
  </SimpleForm>
);
const texts = (
  <SimpleForm>
    <TextInput source="title" />
    <TextInput source="content" multiline fullWidth />
    <SelectInput source="type" choices={choices("document", "code", "other")} defaultValue="document" />
  </SimpleForm>
);
const dates = (
  <SimpleForm>
    <TextInput source="title" />
    <DateTimeInput source="start" />
    <DateTimeInput source="end" />
  </SimpleForm>
);
const list = (...fields) => (
  <List filters={search} sort={{ field: "createdAt", order: "DESC" }}>
    <Datagrid>{fields}</Datagrid>
  </List>
);
const resource = (name, label, form, ...fields) => (
  <Resource
    name={name}
    options={{ label }}
    list={list(...fields)}
    edit={<Edit mutationMode="pessimistic">{form}</Edit>}
    create={<Create redirect="list">{form}</Create>}
  />
);

createRoot(document.getElementById("root")).render(
  <Admin dataProvider={dataProvider} authProvider={authProvider} title="Quarterdeck" disableTelemetry>
    {resource("users", "Users", people, <TextField source="name" key="1" />, <EmailField source="email" key="2" />)}
    {resource(
      "documents",
      "Documents",
      texts,
      <TextField source="title" key="1" />,
      <ReferenceField source="ownerId" reference="users" key="2" />,
    )}
    {resource("calendar/events", "Events", dates, <TextField source="title" key="1" />, <DateField source="start" key="2" />)}
  </Admin>,
);
