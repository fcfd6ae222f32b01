// Somebody: picture, name, and what tells them from others.
import { Avatar, type AvatarProps } from "./avatar.tsx";

export interface PersonProps extends AvatarProps {
  /** Under the name, such as the e-mail address. */
  detail?: string;
  /** Where the name leads. */
  href?: string;
}

export function Person({ name, detail, href, ...avatar }: PersonProps) {
  return (
    <span class="person">
      <Avatar name={name} {...avatar} />
      <span class="person-text">
        {href
          ? <a class="person-name cut" href={href}>{name}</a>
          : <span class="person-name cut">{name}</span>}
        {detail && <span class="person-detail cut">{detail}</span>}
      </span>
    </span>
  );
}
