//! On systems whose linkers want every symbol at once, the interpreter's are left for later.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
