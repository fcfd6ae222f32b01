// A dialog at the side of the page, for what is looked at beside a list; on phones the whole page.
import { type DialogProps, Modal } from "./dialog.tsx";

export function Drawer({ open, ...props }: DialogProps) {
  return open ? <Modal {...props} look="drawer" /> : null;
}
