// What opens above the page: dialogs, drawers, menus, messages.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { confirm, Dialog } from "../../parts/dialog.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { TextField } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Person } from "../../parts/person.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { toast } from "../../state/toasts.ts";
import { Row, Section } from "./section.tsx";
import { texts } from "./texts.ts";

export function Overlays() {
  const said = texts();
  const [dialog, setDialog] = useState(false);
  const [drawer, setDrawer] = useState(false);
  const [shared, setShared] = useState(true);
  const [name, setName] = useState("");
  const close = () => setDialog(false);
  return (
    <Section id="overlays" title={said.overlays}>
      <Row>
        <Button onClick={() => setDialog(true)}>{said.openDialog}</Button>
        <Button onClick={() => setDrawer(true)}>{said.openDrawer}</Button>
        <Button
          kind="danger"
          onClick={async () => {
            const yes = await confirm({
              title: said.askTitle,
              text: said.askText,
              action: said.danger,
              danger: true,
            });
            if (yes) {
              toast({
                text: said.toastDone,
                action: { label: said.undo, run: () => toast({ text: said.restored }) },
              });
            }
          }}
        >
          {said.ask}
        </Button>
        <Menu
          label={said.actions}
          items={[
            { label: said.open, icon: "external", href: "#overlays", keys: "Enter" },
            { label: said.rename, icon: "edit", run: () => setDialog(true), keys: "e" },
            { label: said.duplicate, icon: "copy", disabled: true },
            {
              label: said.shared,
              checked: shared,
              stay: true,
              run: () => setShared(!shared),
              description: said.sharedText,
              parted: true,
            },
            { label: said.archive, icon: "archive", parted: true },
            { label: said.danger, icon: "trash", danger: true, keys: "Backspace" },
          ]}
        />
        <Menu
          label={said.more}
          icon="more"
          iconOnly
          items={[{ label: said.rename, icon: "edit" }, { label: said.share, icon: "share" }]}
        />
      </Row>
      <Row>
        <Button
          onClick={() =>
            toast({
              text: said.toastDone,
              action: { label: said.undo, run: () => toast({ text: said.restored }) },
            })}
        >
          {said.success}
        </Button>
        <Button onClick={() => toast({ kind: "info", text: said.toastInfo })}>{said.info}</Button>
        <Button onClick={() => toast({ kind: "error", text: said.toastError })}>
          {said.error}
        </Button>
      </Row>
      <Dialog
        title={said.dialogTitle}
        open={dialog}
        onClose={close}
        size="s"
        footer={
          <>
            <Button onClick={close}>{said.quiet}</Button>
            <Button kind="primary" onClick={close}>{said.rename}</Button>
          </>
        }
      >
        <TextField label={said.name} value={name} onChange={setName} autofocus />
      </Dialog>
      <Drawer title={said.drawerTitle} open={drawer} onClose={() => setDrawer(false)} size="s">
        <Person name="Ada Lovelace" detail="ada@example.com" size="l" />
        <Skeleton lines={5} />
      </Drawer>
    </Section>
  );
}
