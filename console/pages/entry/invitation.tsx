// Where the link of an invitation leads.
import { SetPassword } from "./set_password.tsx";

export default function Invitation() {
  return <SetPassword kind="invitation" />;
}
