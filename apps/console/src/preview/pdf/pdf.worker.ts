// Reads and interprets PDF files outside of the page. The import starts listening.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
