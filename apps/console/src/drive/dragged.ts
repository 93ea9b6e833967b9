/** Type of items of the drive while they are dragged within the page. */
const itemType = 'application/x-cairn-items'

/** Whether items of the drive are dragged; their ids can be read only at the end. */
export function isDraggingItems({ dataTransfer }: Pick<DragEvent, 'dataTransfer'>): boolean {
  return dataTransfer?.types.includes(itemType) === true
}

export function writeDragged(dataTransfer: DataTransfer, ids: readonly string[]): void {
  dataTransfer.setData(itemType, ids.join('\n'))
  dataTransfer.effectAllowed = 'copyMove'
}

export function readDragged(dataTransfer: DataTransfer): readonly string[] {
  const text = dataTransfer.getData(itemType)
  return text === '' ? [] : text.split('\n')
}

/** Lets Chromium save a public file when it is dragged out of the window: the browser fetches it from the gateway. */
export function offerDownload(dataTransfer: DataTransfer, name: string, url: string): void {
  dataTransfer.setData('DownloadURL', `application/octet-stream:${name.replaceAll(':', '_')}:${url}`)
}
