// The list of users: search, paging.
import type { Pagination } from "../http/endpoint.ts";
import type { User } from "../models/users.ts";
import type { Principal } from "../services/access/access.ts";
import { AppPage, type Assets, Avatar } from "./layout.tsx";

export interface UsersData {
  readonly rows: readonly User[];
  /** Labels of roles, by name. */
  readonly roleLabels: ReadonlyMap<string, string>;
  readonly pagination: Pagination;
  readonly search: string;
}

const STATUS = { active: "Active", inactive: "Inactive", suspended: "Suspended" } as const;
const date = new Intl.DateTimeFormat("en", { timeZone: "UTC", dateStyle: "medium" });

function SearchForm({ search }: { search: string }) {
  return (
    <form method="get" action="/users" role="search" class="search">
      <label for="search" class="hidden">Search by name or e-mail</label>
      <input
        id="search"
        name="search"
        type="search"
        value={search}
        placeholder="Name or e-mail"
        maxlength={200}
      />
      <button class="button" type="submit">Search</button>
    </form>
  );
}

function UserRow({ user, role }: { user: User; role: string }) {
  return (
    <tr>
      <th scope="row">
        <span class="person">
          <Avatar name={user.name} />
          <span>
            <strong>{user.name}</strong>
            <span class="muted">{user.email}</span>
          </span>
        </span>
      </th>
      <td data-label="Role">{role}</td>
      <td data-label="Status">
        <span class={`badge ${user.status}`}>{STATUS[user.status]}</span>
      </td>
      <td data-label="Last log-in">
        {user.lastLoginAt ? date.format(new Date(user.lastLoginAt)) : "Never"}
      </td>
      <td data-label="Joined">{date.format(new Date(user.createdAt))}</td>
    </tr>
  );
}

function PageLink({ to, search, rel, children }: {
  to: number;
  search: string;
  rel: "prev" | "next";
  children: string;
}) {
  const query = new URLSearchParams({ ...(search ? { search } : {}), page: String(to) });
  return <a class="button quiet" rel={rel} href={`/users?${query}`}>{children}</a>;
}

function Pager({ pagination: { page, totalPages }, search }: {
  pagination: Pagination;
  search: string;
}) {
  if (totalPages <= 1 && page === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <PageLink to={Math.min(page - 1, Math.max(totalPages, 1))} search={search} rel="prev">
          Previous
        </PageLink>
      )}
      <span class="muted">Page {page} of {totalPages}</span>
      {page < totalPages && <PageLink to={page + 1} search={search} rel="next">Next</PageLink>}
    </nav>
  );
}

export function UsersPage(
  { assets, principal, data }: { assets: Assets; principal: Principal; data: UsersData },
) {
  const { rows, roleLabels, pagination, search } = data;
  const { total } = pagination;
  return (
    <AppPage assets={assets} title="Users" here="/users" principal={principal}>
      <div class="page-head">
        <div>
          <h1>Users</h1>
          <p class="muted">
            {`${total} ${total === 1 ? "user" : "users"}${search ? ` found for “${search}”` : ""}`}
          </p>
        </div>
        <SearchForm search={search} />
      </div>
      {rows.length === 0
        ? (
          <div class="card">
            <p class="empty">
              {search ? "Nobody matches. " : "There is nobody on this page. "}
              <a href="/users">Show everyone</a>
            </p>
          </div>
        )
        : (
          <div class="card table-card">
            <table class="users">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Role</th>
                  <th scope="col">Status</th>
                  <th scope="col">Last log-in</th>
                  <th scope="col">Joined</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((user) => (
                  <UserRow user={user} role={roleLabels.get(user.role) ?? user.role} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      <Pager pagination={pagination} search={search} />
    </AppPage>
  );
}
