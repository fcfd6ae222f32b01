// The buttons by which files are shown as a list or as a grid.
import { ButtonGroup, IconButton } from "../../parts/button.tsx";
import { texts } from "./texts.ts";
import { gridShown, showGrid } from "./view.ts";

export function ViewChoice() {
  const said = texts();
  const grid = gridShown.value;
  return (
    <ButtonGroup label={said.view.label}>
      <IconButton
        icon="menu"
        kind="plain"
        label={said.view.list}
        aria-pressed={!grid}
        onClick={() => showGrid(false)}
      />
      <IconButton
        icon="dashboard"
        kind="plain"
        label={said.view.grid}
        aria-pressed={grid}
        onClick={() => showGrid(true)}
      />
    </ButtonGroup>
  );
}
