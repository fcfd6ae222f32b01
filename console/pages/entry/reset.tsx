// Where the link of a forgotten password leads.
import { SetPassword } from "./set_password.tsx";

export default function Reset() {
  return <SetPassword kind="reset" />;
}
