/** Pages on files, names, storage and proofs that have few words of their own. */
export const places = {
  noKeyNodes: 'This network has no key nodes',
  noKeyNodesHint: 'Files on it are public, so nothing has to be shared.',
  openTitle: 'Open a file',
  openDownload: 'Download',
  openGateway: 'Open on the gateway',
  detailsCid: 'CID',
  detailsName: 'Name',
  detailsSize: 'Size',
  detailsType: 'Type',
  detailsAccess: 'Access',
}
