import { translatable } from '../translatable.ts'

/** Pages with few texts of their own: files, names, billing and proofs. */
export const places = translatable('places', {
  noKeyNodes: 'This network has no key nodes',
  noKeyNodesHint: 'Files cannot be encrypted on this network, so there is nothing to share.',
  openTitle: 'Open a file',
  openDownload: 'Download',
  openDownloadTar: 'Download as TAR',
  openGateway: 'Open on the gateway',
  detailsCid: 'CID',
  detailsName: 'Name',
  detailsSize: 'Size',
  detailsStored: 'Stored',
  detailsType: 'Type',
  detailsAccess: 'Access',
  detailsOrigin: 'Origin',
  detailsReceived: 'Received through an upload link',
  detailsFolder: 'Folder',
})
