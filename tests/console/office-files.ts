// Small office files, made by hand: the parts that the console reads.
import { downloadZip } from 'client-zip'

const relations = (lines: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines}</Relationships>`
const word =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
const sheet =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const slide =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'

async function pack(files: Record<string, string | Uint8Array>): Promise<Blob> {
  return downloadZip(Object.entries(files).map(([name, input]) => ({ name, input }))).blob()
}

/** A heading, a paragraph with a bold word and two links, a numbered list, a table, a picture and a box of text. */
export function makeDocx(picture: Uint8Array): Promise<Blob> {
  return pack({
    'word/document.xml': `<w:document ${word}><w:body>
      <w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Stones</w:t></w:r></w:p>
      <w:p><w:r><w:t xml:space="preserve">A </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>heavy</w:t></w:r><w:r><w:t xml:space="preserve"> one, </w:t></w:r>
        <w:hyperlink r:id="web"><w:r><w:t>a site</w:t></w:r></w:hyperlink>
        <w:hyperlink r:id="trap"><w:r><w:t>a trap</w:t></w:r></w:hyperlink><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>from here</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t xml:space="preserve"> moved here</w:t></w:r></w:moveTo><w:r><w:footnoteReference w:id="2"/></w:r></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>first step</w:t></w:r></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>second step</w:t></w:r></w:p>
      <w:p><w:r><w:t>Rest, or call 555</w:t><w:noBreakHyphen/><w:t>1234.</w:t></w:r></w:p>
      <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>third step</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>granite</w:t></w:r></w:p></w:tc><w:sdt><w:sdtContent><w:tc><w:p><w:r><w:t>12 kg</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>
      <w:p><w:r><w:drawing><wp:anchor><wp:docPr id="2" name="b"/><a:graphic><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent></a:graphic></wp:anchor></w:drawing></w:r></w:p>
      <w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="a red dot"/><a:graphic><a:blip r:embed="dot"/></a:graphic></wp:inline></w:drawing></w:r></w:p>
      </w:body></w:document>`,
    'word/styles.xml': `<w:styles ${word}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/numbering.xml': `<w:numbering ${word}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    'word/footnotes.xml': `<w:footnotes ${word}><w:footnote w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>Weighed twice.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
    'word/_rels/document.xml.rels': relations(
      '<Relationship Id="web" Target="https://example.com/a" TargetMode="External"/><Relationship Id="trap" Target="javascript:wasRun=1" TargetMode="External"/><Relationship Id="dot" Target="media/dot.png"/>',
    ),
    'word/media/dot.png': picture,
  })
}

/** Two sheets: texts, a number, a date, a percentage, an amount, a fraction and the result of a formula; then one value. */
export function makeXlsx(): Promise<Blob> {
  return pack({
    'xl/workbook.xml': `<workbook ${sheet}><sheets><sheet name="Walks" sheetId="1" r:id="one"/><sheet name="Totals" sheetId="2" r:id="two"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      '<Relationship Id="one" Target="worksheets/sheet1.xml"/><Relationship Id="two" Target="/xl/worksheets/sheet2.xml"/>',
    ),
    'xl/sharedStrings.xml': `<sst ${sheet}><si><t>day</t></si><si><r><t>kilo</t></r><r><t>metres</t></r></si></sst>`,
    'xl/styles.xml': `<styleSheet ${sheet}><numFmts><numFmt numFmtId="164" formatCode="#,##0.00\\ [$€-407]"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="12"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet ${sheet}><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
      <row r="3"><c r="A3" s="1"><v>46352</v></c><c r="C3"><f>6*2</f><v>12</v></c></row>
      <row r="4"><c r="A4" s="2"><v>0.25</v></c><c r="C4" s="3"><v>1234.5</v></c><c r="D4" s="4"><v>2.25</v></c></row></sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': `<worksheet ${sheet}><sheetData><row><c t="inlineStr"><is><t>all of it</t></is></c></row></sheetData></worksheet>`,
  })
}

/** 101 sheets; the first has a value in row 2, one in row 50,001, and a row after it that is only formatted. */
export function makeLargeXlsx(): Promise<Blob> {
  const numbers = Array.from({ length: 101 }, (_none, at) => at + 1)
  const row = (number: number, cells: string) => `<row r="${number}">${cells}</row>`
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const sheetOf = (rows: string) => `<worksheet ${sheet}><sheetData>${rows}</sheetData></worksheet>`
  return pack({
    'xl/workbook.xml': `<workbook ${sheet}><sheets>${numbers.map((at) => `<sheet name="S${at}" sheetId="${at}" r:id="r${at}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      numbers
        .map((at) => `<Relationship Id="r${at}" Target="worksheets/${at === 1 ? 'first' : 'other'}.xml"/>`)
        .join(''),
    ),
    'xl/worksheets/first.xml': sheetOf(row(2, text('near')) + row(50_001, text('far')) + row(1_048_576, '<c s="1"/>')),
    'xl/worksheets/other.xml': sheetOf(row(1, text('alike')) + row(1_048_576, '<c s="1"/>')),
  })
}

/** Two slides, the second one without a title, in another order than their files. */
export function makePptx(): Promise<Blob> {
  const shape = (kind: string, text: string) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
  const slideOf = (shapes: string) => `<p:sld ${slide}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`
  return pack({
    'ppt/presentation.xml': `<p:presentation ${slide}><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      '<Relationship Id="a" Target="slides/slide1.xml"/><Relationship Id="b" Target="slides/slide2.xml"/>',
    ),
    'ppt/slides/slide1.xml': slideOf(shape('', 'They show the way')),
    'ppt/slides/slide2.xml': slideOf(shape('<p:ph type="title"/>', 'Cairns')),
  })
}

/** A book of one chapter, with a script and a picture from elsewhere. */
export function makeEpub(): Promise<Blob> {
  return pack({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf':
      '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="one" href="text/one%20.xhtml"/></manifest><spine><itemref idref="one"/></spine></package>',
    'OPS/text/one .xhtml': `<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><style>p { color: red }</style><style/><script src="a.js"/></head><body style="margin: 0">
      <script>window.wasRun = true</script><h1>The hill</h1><div><p style="color: blue">It was <em>steep</em>.</p><ul><li>wind</li></ul><ol start="3"><li><p>rain</p><p>all day</p></li><li><p>snow</p></li></ol><pre>one
two</pre></div>
      <img src="https://example.com/cat.png" alt="a cat" onerror="window.wasRun = true"/></body></html>`,
  })
}

const open =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'

/** A title, a heading, a paragraph with a bold word, links and a note, lists in lists, a table, a picture and one from elsewhere. */
export function makeOdt(picture: Uint8Array): Promise<Blob> {
  const frame = (href: string, title: string) =>
    `<draw:frame><draw:image xlink:href="${href}"/><svg:title>${title}</svg:title></draw:frame>`
  return pack({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'styles.xml': `<office:document-styles ${open}><office:styles><style:style style:name="Title" style:family="paragraph"/>
      <text:list-style style:name="Steps"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style></office:styles></office:document-styles>`,
    'content.xml': `<office:document-content ${open}><office:automatic-styles>
      <style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>
      <style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>
      <office:body><office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>
      <text:p text:style-name="P1">Cairn rules</text:p><text:h text:outline-level="2">Gravel</text:h>
      <text:p>A<text:s text:c="2"/><text:span text:style-name="T1">flat</text:span> one<office:annotation><text:p>a comment</text:p></office:annotation>,
        <text:a xlink:href="https://example.com/b">a place</text:a> <text:a xlink:href="javascript:wasRun=1">a snare</text:a><text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Seen twice.</text:p></text:note-body></text:note></text:p>
      <text:list text:style-name="Steps"><text:list-item><text:p>look</text:p><text:list><text:list-item><text:p>left</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>lift</text:p></text:list-item></text:list>
      <text:p>Breathe.</text:p><text:list text:style-name="Steps" text:continue-numbering="true"><text:list-item><text:p>lay</text:p></text:list-item></text:list>
      <table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>kind</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>basalt</text:p></table:table-cell></table:table-row></table:table>
      <text:p>${frame('Pictures/dot.png', 'a grey dot')}${frame('https://example.com/spy.png', 'a spy')}</text:p>
      </office:text></office:body></office:document-content>`,
    'Pictures/dot.png': picture,
  })
}

/** Two slides: a title, a list, a shape in a group, a table and a picture; then a text without a title. Notes are for the speaker. */
export function makeOdp(picture: Uint8Array): Promise<Blob> {
  const box = (kind: string, inner: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${inner}</draw:text-box></draw:frame>`
  return pack({
    mimetype: 'application/vnd.oasis.opendocument.presentation',
    'content.xml': `<office:document-content ${open} xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"><office:body><office:presentation>
      <draw:page draw:name="page1">${box('title', '<text:p>Dry walls</text:p>')}
        ${box('outline', '<text:list><text:list-item><text:p>no mortar</text:p></text:list-item><text:list-item><text:p>flat stones</text:p></text:list-item></text:list>')}
        <draw:g><draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape></draw:g>
        <draw:frame><table:table><table:table-row><table:table-cell><text:p>slate</text:p></table:table-cell></table:table-row></table:table><draw:image xlink:href="Pictures/table.png"/></draw:frame>
        <draw:frame><draw:image xlink:href="Pictures/dot.png"/><svg:title>a brown dot</svg:title></draw:frame>
        <presentation:notes>${box('notes', '<text:p>say this</text:p>')}</presentation:notes></draw:page>
      <draw:page draw:name="page2">${box('subtitle', '<text:p>Ask <text:a xlink:href="https://example.com/c">the builders</text:a></text:p>')}</draw:page>
      </office:presentation></office:body></office:document-content>`,
    'Pictures/dot.png': picture,
  })
}

/** A sheet with the values that its program showed, a gap, and a million empty rows at its end. */
export function makeOds(): Promise<Blob> {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
  return pack({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content ${open}><office:body><office:spreadsheet><table:table table:name="Weights">
      <table:table-row>${cell('stone')}<table:table-cell table:number-columns-repeated="2"/>${cell('12,5 kg')}<table:table-cell table:number-columns-repeated="16380"/></table:table-row>
      <table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
      <table:table-row>${cell('last')}</table:table-row>
      <table:table-row table:number-rows-repeated="1048572"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
      </table:table></office:spreadsheet></office:body></office:document-content>`,
  })
}
