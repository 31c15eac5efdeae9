# Independent PDF readers, which the tests of invoices compare with.
# shellcheck shell=bash

pdf_readers() {
    [ -n "${ERP_PDF_PYTHON:-}" ] || python_tools pdf
    "${ERP_PDF_PYTHON:-$target/pdf-tools/bin/python}" -c "import pikepdf, pyhanko, lxml, fontTools"
}
