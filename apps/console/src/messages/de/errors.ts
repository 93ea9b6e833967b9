import type { Texts } from '../texts.ts'

const later = 'Später noch einmal versuchen.'
const soon = 'In einigen Sekunden noch einmal versuchen.'
const newKey = 'Abmelden und neu anmelden, oder einen neuen API-Schlüssel erstellen.'
const buy = 'Speicherplatz kaufen oder später noch einmal versuchen.'

/** Errors that the console shows, by code. */
export const errors: Texts['errors'] = {
  // Input
  INVALID_REQUEST: { message: 'Die Anfrage ist ungültig', hint: 'Die Eingaben prüfen und noch einmal versuchen.' },
  INVALID_CID: { message: 'Ungültige CID', hint: 'Eine CID wie bafy… oder Qm… verwenden, ohne Pfad und Leerzeichen.' },
  INVALID_ADDRESS: {
    message: 'Ungültige Adresse',
    hint: 'Eine 0x…-Adresse mit 40 Hex-Zeichen oder eine Solana-Adresse in Base58 verwenden.',
  },
  INVALID_PATH: {
    message: 'Ungültiger Pfad oder Dateiname',
    hint: 'Relative Pfade ohne „..“, NUL und Steuerzeichen verwenden, mit höchstens 1.024 Bytes pro Name.',
  },
  INVALID_LABEL: {
    message: 'Der Name enthält Zeichen, die sich nicht anzeigen lassen',
    other: 'Ungültige Bezeichnung',
    hint: 'Zeilenumbrüche, Steuerzeichen und Zeichen der Schreibrichtung entfernen.',
  },
  NO_FILE: { message: 'Es fehlt eine Datei', hint: 'Mindestens eine Datei auswählen.' },
  DUPLICATE_NAME: { message: 'Doppelter Dateiname', hint: 'Jeder Datei des Uploads einen eigenen Namen geben.' },
  PAYLOAD_TOO_LARGE: { message: 'Die Anfrage ist größer als erlaubt', hint: 'Weniger Daten auf einmal senden.' },
  TOO_MANY_PARTS: { message: 'Zu viele Dateien auf einmal', hint: 'Den Upload aufteilen.' },
  UNSUPPORTED_MEDIA_TYPE: {
    message: 'Diese Art von Datei wird nicht angenommen',
    hint: 'Eine andere Datei auswählen.',
  },
  UNSUPPORTED_CODEC: {
    message: 'Diese Art von Block wird nicht unterstützt',
    hint: 'Den Inhalt mit einem anderen Programm lesen.',
  },
  DAG_TOO_DEEP: {
    message: 'Der Inhalt ist zu tief verschachtelt oder zu groß',
    hint: 'Ihn in kleinere Teile aufteilen.',
  },
  HEADER_TOO_LARGE: {
    message: 'Ein Header ist größer als erlaubt',
    hint: 'Kürzere Dateinamen verwenden.',
  },
  INVALID_MULTIPART: { message: 'Der Upload kam unvollständig an', hint: 'Noch einmal hochladen.' },
  INVALID_CAR: { message: 'Die CAR-Datei ist ungültig', hint: 'Sie noch einmal exportieren, als CARv1 oder CARv2.' },
  INCOMPLETE_DAG: {
    message: 'Es fehlen Blöcke, auf die der Wurzelblock verweist',
    hint: 'Den vollständigen Inhalt in eine CAR-Datei exportieren.',
  },
  BLOCK_HASH_MISMATCH: {
    message: 'Ein Block passt nicht zu seiner CID',
    hint: 'Die Daten wurden unterwegs oder an ihrer Quelle verändert. Sie noch einmal laden.',
  },
  NOT_A_PICTURE: { message: 'Die Größe dieser Datei lässt sich nicht ändern', hint: 'Das Original öffnen.' },
  PICTURE_TOO_LARGE: { message: 'Das Bild ist zum Verkleinern zu groß', hint: 'Das Original öffnen.' },
  PICTURES_UNAVAILABLE: { message: 'Dieses Gateway verkleinert keine Bilder', hint: 'Das Original öffnen.' },
  INVALID_CURSOR: { message: 'Die Stelle liegt hinter dem neuesten Ereignis', hint: 'Die Seite neu laden.' },
  EVENT_STREAM_LIMIT: {
    message: 'Dieses Konto hat die Höchstzahl offener Verbindungen für Ereignisse erreicht',
    hint: 'Andere Fenster mit diesem Konto schließen.',
  },
  ADDRESS_NOT_ALLOWED: {
    message: 'Die Adresse liegt nicht im öffentlichen Internet',
    hint: 'Einen öffentlichen Server verwenden oder den Betreiber fragen.',
  },
  PRECONDITION_FAILED: {
    message: 'Der Stand hat sich inzwischen geändert',
    hint: 'Neu laden und noch einmal versuchen.',
  },
  REQUEST_TIMEOUT: {
    message: 'Die Anfrage wurde zu langsam gesendet',
    hint: 'Mit einer schnelleren Verbindung noch einmal versuchen.',
  },

  // Identity
  UNAUTHENTICATED: { message: 'Die Anmeldung ist ungültig', hint: newKey },
  API_KEY_EXPIRED: { message: 'Der API-Schlüssel ist abgelaufen', hint: newKey },
  API_KEY_REVOKED: { message: 'Der API-Schlüssel wurde widerrufen', hint: newKey },
  INVALID_SIGNATURE: {
    message: 'Ungültige Signatur',
    hint: 'Eine neue Nachricht mit der Wallet dieser Adresse signieren.',
  },
  CHALLENGE_EXPIRED: {
    message: 'Der Text zum Signieren ist abgelaufen oder wurde schon benutzt',
    hint: 'Noch einmal beginnen und innerhalb von fünf Minuten signieren.',
  },
  FORBIDDEN: {
    message: 'Dieser API-Schlüssel hat nicht die nötige Berechtigung',
    other: 'Das ist nicht erlaubt',
    hint: 'Einen API-Schlüssel mit dieser Berechtigung verwenden.',
  },
  ACCOUNT_BLOCKED: { message: 'Dieses Konto ist gesperrt', hint: 'Den Betreiber fragen. Gelöscht wurde nichts.' },
  SESSION_EXPIRED: { message: 'Die Sitzung ist abgelaufen', hint: 'Neu anmelden oder die Sitzung verlängern.' },
  ACCESS_DENIED: {
    message: 'Zugriff verweigert',
    hint: 'Den Eigentümer um eine Freigabe bitten oder die Bedingungen erfüllen.',
  },
  NO_SESSION: { message: 'Keine Sitzung bei den Schlüsselknoten', hint: 'Mit der Wallet dieser Adresse anmelden.' },
  NO_WALLET: { message: 'Keine Wallet', hint: 'Eine Wallet verbinden und noch einmal versuchen.' },
  NO_NETWORK: { message: 'Kein Profil des Netzwerks', hint: 'Die Seite neu laden.' },
  SIGNED_FOR_ANOTHER_USE: {
    message: 'Der Text wurde für einen anderen Zweck signiert',
    hint: 'Noch einmal beginnen und den neuen Text signieren.',
  },
  CHAIN_NOT_CONFIGURED: {
    message: 'Contract-Wallets lassen sich hier nicht prüfen',
    hint: 'Eine andere Wallet verwenden oder den Betreiber fragen.',
  },
  NO_API_KEY: { message: 'Nicht angemeldet', hint: 'Anmelden und noch einmal versuchen.' },

  // File keys and conditions
  KEY_NOT_FOUND: {
    message: 'Kein Dateischlüssel zu dieser CID',
    hint: 'Die CID prüfen. Es wurde keiner gespeichert, oder er wurde stillgelegt.',
  },
  KEY_UNCONFIRMED: {
    message: 'Der Schlüsselknoten wurde aus einer Sicherung wiederhergestellt',
    hint: later,
  },
  KEY_RETIRED: {
    message: 'Der Schlüssel dieser Datei wurde stillgelegt',
    hint: 'Die neuere Fassung der Datei öffnen, falls es eine gibt.',
  },
  KEY_LIMIT: {
    message: 'Diese Adresse hat auf diesem Knoten die Höchstzahl an Schlüsseln erreicht',
    hint: 'Nicht mehr benötigte Dateien löschen.',
  },
  INVALID_CONDITION: { message: 'Ungültige Bedingung', hint: 'Die genannten Bedingungen berichtigen.' },
  CHAIN_NOT_SUPPORTED: {
    message: 'Diese Chain wird von diesem Knoten nicht unterstützt',
    hint: 'Eine andere Chain wählen.',
  },
  CONDITION_UNKNOWN: {
    message: 'Eine Bedingung ließ sich nicht prüfen',
    hint: 'Eine Chain hat nicht geantwortet. Später noch einmal versuchen.',
  },
  KEY_NODES_UNAVAILABLE: { message: 'Weniger als drei Schlüsselknoten sind erreichbar', hint: soon },
  INVALID_KEY_SHARDS: {
    message: 'Es fehlen Teile des Schlüssels',
    hint: 'Alle fünf Teile eines Schlüssels verwenden.',
  },
  INVALID_SHARD: { message: 'Ein Teil des Schlüssels ist ungültig', hint: 'Teile desselben Schlüssels verwenden.' },
  INVALID_THRESHOLD: {
    message: 'Die Mindestzahl der Teile ist ungültig',
    hint: 'Eine Zahl von 2 bis zur Anzahl der Teile verwenden.',
  },
  KEY_NOT_SHARDABLE: { message: 'Dieser Schlüssel lässt sich nicht teilen', hint: 'Einen neuen Schlüssel erzeugen.' },
  SHARD_MISMATCH: {
    message: 'Ein Teil des Schlüssels passt nicht zu seinem Commitment',
    hint: 'Jedem Knoten seinen eigenen Teil desselben Schlüssels geben.',
  },
  WRONG_NODE: { message: 'Dieser Aufruf gehört zu einem anderen Schlüsselknoten', hint: 'Die Seite neu laden.' },
  KEY_NOT_RECOVERED: {
    message: 'Der Dateischlüssel ließ sich nicht wiederherstellen',
    hint: 'Dafür sind mindestens drei unveränderte Teile desselben Schlüssels nötig.',
  },
  SHARDS_INCONSISTENT: {
    message: 'Die Schlüsselknoten haben Teile geliefert, die nicht zusammenpassen',
    hint: 'Noch einmal versuchen. Der Zugriff der Datei zeigt den Stand jedes Knotens.',
  },
  NOT_ENOUGH_SHARDS: {
    message: 'Weniger als drei Schlüsselknoten haben einen Teil des Schlüssels geliefert',
    hint: later,
  },
  KEY_SAVE_FAILED: {
    message: 'Die Datei wurde nicht verschlüsselt gespeichert',
    hint: 'Ihr Schlüssel ließ sich nicht speichern, deshalb wurde nichts hochgeladen. Noch einmal versuchen.',
  },
  CHANGE_INCOMPLETE: {
    message: 'Weniger als drei Schlüsselknoten haben die Änderung übernommen',
    hint: 'Die Änderung wiederholen, um sie abzuschließen.',
  },
  DECRYPTION_FAILED: {
    message: 'Die Datei lässt sich nicht entschlüsseln',
    hint: 'Der Schlüssel gehört zu einer anderen Datei, oder die Daten wurden verändert.',
  },
  NOT_ENCRYPTED: { message: 'Die Datei ist nicht verschlüsselt', hint: 'Sie ohne Entschlüsselung herunterladen.' },
  NO_KEY_NODES: {
    message: 'Dieses Netzwerk hat keine Schlüsselknoten',
    hint: 'Unverschlüsselt hochladen oder ein anderes Netzwerk verwenden.',
  },

  // Names
  INVALID_NAME: { message: 'Ungültiger Name', hint: 'Einen Namen wie k51…, bafz… oder 12D3Koo… verwenden.' },
  INVALID_NAME_KEY: {
    message: 'Ungültiger Namensschlüssel',
    hint: 'Einen Ed25519-Schlüssel im Format von „ipfs key export“ oder als PEM verwenden.',
  },
  INVALID_NAME_VALUE: {
    message: 'Ein Name muss auf /ipfs/{cid} oder /ipns/{name} verweisen',
    hint: 'Eine CID oder einen solchen Pfad eingeben.',
  },
  IPNS_RECORD_EXPIRED: { message: 'Der Eintrag ist abgelaufen', hint: 'Neu veröffentlichen.' },
  IPNS_RECORD_OUTDATED: { message: 'Es gibt schon einen neueren Eintrag dieses Namens', hint: 'Neu veröffentlichen.' },
  INVALID_IPNS_RECORD: {
    message: 'Ungültiger Eintrag eines Namens',
    hint: 'Neu veröffentlichen, mit dem Schlüssel dieses Namens.',
  },
  NAME_TOO_DEEP: {
    message: 'Dieser Name verweist über zu viele andere Namen',
    hint: 'Den Namen direkter auf den Inhalt verweisen lassen.',
  },
  NAME_NOT_FOUND: { message: 'Name nicht gefunden', hint: 'Den Namen prüfen oder zuerst veröffentlichen.' },
  NAME_UNRESOLVED: {
    message: 'Dieses Gateway hat keinen gültigen Eintrag dieses Namens',
    hint: 'Den Namen prüfen oder hier veröffentlichen.',
  },
  NAME_EXPIRED: {
    message: 'Der neueste Eintrag dieses Namens ist abgelaufen',
    hint: 'Der Eigentümer muss den Namen neu veröffentlichen.',
  },
  NAME_LIMIT: {
    message: 'Dieses Konto hat die Höchstzahl an Namen erreicht',
    hint: 'Nicht mehr benötigte Namen entfernen.',
  },
  NAME_KEY_WITH_OWNER: {
    message: 'Dieser Dienst hat den Schlüssel dieses Namens nicht',
    hint: 'Dort veröffentlichen, wo der Namensschlüssel liegt.',
  },

  // What exists
  NOT_FOUND: { message: 'Nicht gefunden', hint: 'Kennung, CID oder Pfad prüfen.' },
  BLOCK_NOT_FOUND: { message: 'Der Inhalt liegt nicht bei diesem Dienst', hint: 'Zuerst hochladen oder pinnen.' },
  CONTENT_DENIED: {
    message: 'Dieser Dienst gibt diesen Inhalt nicht heraus',
    hint: 'Der Betreiber nennt den Weg für einen Widerspruch.',
  },
  CONTENT_DENIED_BY_LAW: {
    message: 'Dieser Dienst gibt diesen Inhalt aus rechtlichen Gründen nicht heraus',
    hint: 'Der Betreiber nennt den Weg für einen Widerspruch.',
  },
  PATH_NOT_FOUND: {
    message: 'Diesen Pfad gibt es unter dieser CID nicht',
    other: 'Nicht gefunden',
    hint: 'Den Ordner öffnen, um seinen Inhalt zu sehen.',
  },
  NOT_A_DIRECTORY: { message: 'Das ist eine Datei und kein Ordner', hint: 'Die Datei selbst öffnen.' },
  NOT_A_FILE: { message: 'Das ist ein Ordner und keine Datei', hint: 'Den Ordner öffnen.' },
  FILE_EXISTS: { message: 'Das Ziel gibt es schon', hint: 'Einen anderen Namen wählen.' },
  INVALID_RANGE: { message: 'Der angeforderte Teil liegt außerhalb der Datei', hint: 'Die Datei neu laden.' },
  METHOD_NOT_ALLOWED: { message: 'Dieser Aufruf ist so nicht möglich', hint: 'Die Seite neu laden.' },
  CONFLICT: {
    message: 'Eine andere Anfrage hat das zur selben Zeit geändert',
    other: 'Das ist beim aktuellen Stand nicht möglich',
    hint: 'Noch einmal versuchen.',
  },
  UPLOAD_OFFSET: { message: 'Die Bytes schließen nicht an den Upload an', hint: 'Den Upload fortsetzen.' },
  UPLOAD_BUSY: { message: 'Eine andere Anfrage schreibt gerade in diesen Upload', hint: soon },
  UPLOAD_LIMIT: {
    message: 'Dieses Konto hat die Höchstzahl unvollständiger Uploads erreicht',
    hint: 'Einige abschließen oder abbrechen.',
  },
  GONE: { message: 'Das ist nicht mehr verfügbar', hint: 'Die Seite neu laden.' },
  PROOF_NOT_FOUND: {
    message: 'Noch kein Nachweis',
    hint: 'Der Inhalt ist noch in keinem Deal. Später noch einmal versuchen.',
  },
  INVALID_PIECE_CID: { message: 'Ungültige Piece-CID', hint: 'Eine Piece-CID wie bafk… aus einem Nachweis verwenden.' },
  PIECE_TOO_LARGE: { message: 'Das Piece ist zu groß', hint: 'Den Inhalt auf mehrere Dateien aufteilen.' },
  PROVIDER_FULL: {
    message: 'Dieser Anbieter hat nicht genug Platz für das Piece',
    hint: 'Das Piece einem anderen Anbieter anbieten.',
  },
  SOURCE_NOT_ALLOWED: {
    message: 'Dieser Anbieter lädt nicht von dieser Quelle',
    hint: 'Den Betreiber des Anbieters fragen.',
  },
  PIECE_NOT_FOUND: {
    message: 'Dieser Speicheranbieter hat das Piece nicht',
    hint: 'Später noch einmal versuchen oder einen anderen Anbieter fragen.',
  },
  PIECE_DAMAGED: {
    message: 'Die Bytes dieses Pieces passen nicht zu seinem Commitment',
    hint: 'Einen anderen Anbieter fragen.',
  },
  PROOF_INVALID: {
    message: 'Der Nachweis ist ungültig',
    hint: 'Einen neuen anfordern oder einen anderen Anbieter fragen.',
  },

  // Prices and limits
  QUOTA_EXCEEDED: { message: 'Nicht genug Speicherplatz', hint: 'Speicherplatz kaufen oder Dateien löschen.' },
  FREE_STORAGE_EXHAUSTED: { message: 'Der kostenlose Speicherplatz dieses Dienstes ist belegt', hint: buy },
  FREE_STORAGE_PAUSED: { message: 'Der übrige Platz ist für bezahlten Speicher reserviert', hint: buy },
  FREE_ACCOUNTS_EXHAUSTED: {
    message: 'Von dieser IP-Adresse wurden heute zu viele kostenlose Konten erstellt',
    hint: 'Speicherplatz kaufen oder morgen noch einmal anmelden.',
  },
  PRICE_UNKNOWN: {
    message: 'Für diese Währung gibt es gerade keinen Preis',
    hint: 'Mit einem Stablecoin zahlen oder in einigen Minuten noch einmal versuchen.',
  },
  PAYMENT_FAILED: {
    message: 'Die Zahlung ist fehlgeschlagen',
    hint: 'Es wurde nichts gutgeschrieben. Vor einer weiteren Zahlung die Transaktion prüfen.',
  },
  PAYMENT_REJECTED: {
    message: 'Die Zahlung wurde in der Wallet abgelehnt',
    hint: 'Es wurde nichts gesendet. Zum Zahlen in der Wallet bestätigen.',
  },
  INSUFFICIENT_FUNDS: {
    message: 'Das Guthaben der Wallet reicht für diese Zahlung nicht',
    hint: 'Guthaben aufladen, auch für die Gebühren der Chain.',
  },
  UNSUPPORTED_NETWORK: { message: 'Diese Chain wird nicht unterstützt', hint: 'Eine andere Chain wählen.' },
  TOKEN_NOT_SUPPORTED: {
    message: 'Diese Währung wird auf dieser Chain nicht angenommen',
    hint: 'Eine andere Währung wählen.',
  },
  RATE_LIMITED: { message: 'Zu viele Anfragen', hint: 'Kurz warten und noch einmal versuchen.' },

  // Service and connection
  INTERNAL: {
    message: 'Im Dienst ist etwas schiefgegangen',
    hint: 'Noch einmal versuchen. Bleibt der Fehler bestehen, dem Betreiber die Nummer der Anfrage nennen.',
  },
  DATA_DAMAGED: { message: 'Ein gespeicherter Block ist beschädigt', hint: 'Ein anderes Gateway verwenden.' },
  STORAGE_FULL: {
    message: 'Der Speicher dieses Dienstes ist voll',
    hint: 'Es wurde nichts gespeichert. Später noch einmal versuchen.',
  },
  STORAGE_FAILED: {
    message: 'Der Dienst konnte die Daten nicht schreiben',
    hint: 'Es wurde nichts gespeichert. Noch einmal versuchen.',
  },
  UNAVAILABLE: { message: 'Der Dienst ist nicht bereit', hint: soon },
  OVERLOADED: { message: 'Der Dienst ist überlastet', hint: soon },
  UPSTREAM_FAILED: { message: 'Ein anderer Server hat keine gültige Antwort geliefert', hint: later },
  NOT_SUPPORTED: { message: 'Dieser Dienst unterstützt das nicht', hint: 'Den Betreiber fragen.' },
  NETWORK_ERROR: { message: 'Keine Verbindung', hint: 'Adresse und Netzwerkverbindung prüfen.' },
  TIMEOUT: { message: 'Keine Antwort in der vorgesehenen Zeit', hint: 'Noch einmal versuchen.' },
  ABORTED: { message: 'Abgebrochen', hint: 'Es ist nichts weiter zu tun.' },
  HTTP_ERROR: { message: 'Der Server meldet einen Fehler', hint: later },
  UNEXPECTED_RESPONSE: { message: 'Der Server hat unerwartet geantwortet', hint: 'Die Adresse des Dienstes prüfen.' },
  CID_MISMATCH: {
    message: 'Die hier berechnete CID weicht von der des Servers ab',
    hint: 'Die Daten wurden unterwegs verändert. Noch einmal hochladen.',
  },
  VERIFICATION_FAILED: {
    message: 'Die empfangenen Daten passen nicht zu ihrer CID',
    other: 'Was empfangen wurde, ließ sich nicht bestätigen',
    hint: 'Über ein anderes Gateway herunterladen.',
  },
  DOWNLOAD_INCOMPLETE: {
    message: 'Der Download endete zu früh',
    hint: 'Noch einmal versuchen. Der geladene Teil bleibt erhalten und ist überprüft.',
  },
  FILE_CHANGED: {
    message: 'Eine Datei wurde während des Lesens geändert',
    hint: 'Noch einmal hochladen, wenn kein anderes Programm hineinschreibt.',
  },
  FILE_UNREADABLE: { message: 'Eine Datei lässt sich nicht lesen', hint: 'Pfad und Zugriffsrechte prüfen.' },
  FILE_TOO_LARGE: { message: 'Die Datei ist dafür zu groß', hint: 'Die Kommandozeile verwenden.' },
}
