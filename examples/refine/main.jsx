// A refine app on Quarterdeck: sign-in and documents, by the stock data provider and refine's hooks alone.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Refine, useCreate, useDelete, useGetIdentity, useIsAuthenticated } from "@refinedev/core";
import { useLogin, useLogout, useTable, useUpdate } from "@refinedev/core";
import dataProvider, { axiosInstance } from "@refinedev/simple-rest";

const resource = "documents";
axiosInstance.interceptors.request.use((request) => {
  const token = sessionStorage.getItem("token");
  if (token) request.headers.Authorization = `Bearer ${token}`;
  return request;
});

const authProvider = {
  async login(credentials) {
    try {
      const { data } = await axiosInstance.post("/api/rest/auth/login", credentials);
      sessionStorage.setItem("token", data.accessToken);
      return { success: true };
    } catch ({ message }) {
      return { success: false, error: { name: "Sign-in failed", message } };
    }
  },
  async logout() {
    await axiosInstance.post("/api/rest/auth/logout").catch(() => {});
    sessionStorage.removeItem("token");
    return { success: true };
  },
  check: () => Promise.resolve({ authenticated: sessionStorage.getItem("token") !== null }),
  onError: ({ statusCode }) => Promise.resolve({ logout: statusCode === 401 }),
  getIdentity: async () => (await axiosInstance.get("/api/rest/users/me")).data,
};

/** Calls with the fields of the form by their names. */
const fieldsTo = (send) => (event) => {
  event.preventDefault();
  send(Object.fromEntries(new FormData(event.target)));
  event.target.reset();
};

function SignIn() {
  const { mutate, data } = useLogin();
  return (
    <form onSubmit={fieldsTo(mutate)}>
      <input name="email" placeholder="E-mail" /> <input name="password" type="password" placeholder="Password" />
      <button type="submit">Sign in</button>
      <p role="alert">{data?.error?.message}</p>
    </form>
  );
}
function Documents() {
  const { data: me } = useGetIdentity();
  const { mutate: leave } = useLogout();
  const { mutate: create } = useCreate({ resource });
  const { mutate: update } = useUpdate({ resource });
  const { mutate: remove } = useDelete();
  const sorters = { initial: [{ field: "createdAt", order: "desc" }] };
  const table = useTable({ resource, sorters, pagination: { pageSize: 5 }, syncWithLocation: false });
  const { result, currentPage, setCurrentPage, pageCount, setFilters } = table;
  const search = ({ target: { value } }) => {
    setCurrentPage(1);
    setFilters([{ field: "title", operator: "contains", value }]);
  };
  const rename = ({ id, title }) => {
    const next = prompt("New title", title);
    if (next) update({ id, values: { title: next } });
  };
  return (
    <main>
      <p>{me?.name} <button onClick={() => leave()}>Sign out</button></p>
      <form onSubmit={fieldsTo((values) => create({ values }))}>
        <input name="title" placeholder="Title" /> <button type="submit">Create</button>
      </form>
      <input placeholder="Search" onChange={search} />
      <ul>
        {result?.data?.map((row) => (
          <li key={row.id}>
            {row.title} <button onClick={() => rename(row)}>Rename</button>{" "}
            <button onClick={() => remove({ resource, id: row.id })}>Delete</button>
          </li>
        ))}
      </ul>
      <button disabled={currentPage >= pageCount} onClick={() => setCurrentPage(currentPage + 1)}>Next</button>
      <output>{result?.total} in all</output>
    </main>
  );
}

function App() {
  const { data } = useIsAuthenticated();
  if (!data) return null;
  return data?.authenticated ? <Documents /> : <SignIn />;
}
createRoot(document.getElementById("root")).render(
  <Refine dataProvider={dataProvider("/api/rest", axiosInstance)} authProvider={authProvider} options={{ disableTelemetry: true }}>
    <App />
  </Refine>,
);
