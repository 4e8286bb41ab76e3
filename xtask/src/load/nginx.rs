//! Runs nginx with the same bytes as a file, for comparison.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Result, ensure};

/// nginx on this machine, until it is dropped.
pub(super) struct Nginx {
    child: Child,
    port: u16,
}

impl Nginx {
    /// Serves `bytes` as a file.
    pub(super) fn start(folder: &Path, bytes: &str) -> Result<Nginx> {
        let files: PathBuf = folder.join("nginx");
        fs_err::create_dir_all(files.join("www"))?;
        fs_err::write(files.join("www/file.json"), bytes)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let at = files.display();
        // The workers may be another user, who must come to the file.
        let text = format!(
            "daemon off; worker_processes 2; pid {at}/pid; error_log {at}/error.log; user root;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ access_log off; client_body_temp_path {at}/a; proxy_temp_path {at}/b; fastcgi_temp_path {at}/c;\n\
             uwsgi_temp_path {at}/d; scgi_temp_path {at}/e; keepalive_requests 1000000; sendfile on;\n\
             server {{ listen 127.0.0.1:{port}; root {at}/www; default_type application/json; }} }}\n"
        );
        fs_err::write(files.join("nginx.conf"), text)?;
        let mut command = Command::new("nginx");
        command.arg("-c").arg(files.join("nginx.conf")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut nginx = Nginx { child: command.spawn()?, port };
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(nginx);
            }
            ensure!(nginx.child.try_wait()?.is_none(), "nginx ends at once; its words are in {at}/error.log");
            std::thread::sleep(Duration::from_millis(20));
        }
        anyhow::bail!("nginx does not listen")
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/file.json", self.port)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Asked to stop, it takes its workers along.
        let id = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}
