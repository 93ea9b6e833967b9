import type { Texts } from '../texts.ts'

/** Pages with few texts of their own: files, names, billing and proofs. */
export const places: Texts['places'] = {
  noKeyNodes: 'Dieses Netzwerk hat keine Schlüsselknoten',
  noKeyNodesHint: 'Dateien lassen sich in diesem Netzwerk nicht verschlüsseln, es gibt also nichts freizugeben.',
  openTitle: 'Datei öffnen',
  openDownload: 'Herunterladen',
  openDownloadTar: 'Als TAR herunterladen',
  openGateway: 'Über das Gateway öffnen',
  detailsCid: 'CID',
  detailsName: 'Name',
  detailsStored: 'Gespeichert',
  detailsSize: 'Größe',
  detailsType: 'Art',
  detailsAccess: 'Zugriff',
  detailsOrigin: 'Herkunft',
  detailsReceived: 'Über einen Upload-Link empfangen',
  detailsFolder: 'Ordner',
}
