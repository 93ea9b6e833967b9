import { Ellipsis } from '#icons'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { ButtonMenu } from '../ui/Menu.tsx'
import type { ListedFile } from './listed-file.ts'
import type { FileActions } from './use-file-actions.ts'

/** The button that opens the actions of a file. */
export function FileMenu({ file, actions }: { file: ListedFile; actions: FileActions }) {
  const label = messages.files.actionsFor(markControls(file.fileName))
  return (
    <ButtonMenu items={() => actions(file)} label={label}>
      <IconButton icon={Ellipsis} size="small" label={label} />
    </ButtonMenu>
  )
}
