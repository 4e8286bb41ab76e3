//! Many at once: everyone is answered.

use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;

use super::{Server, read_one};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_gets_an_error_of_the_server_under_load() {
    let server = Arc::new(Server::start().await);
    let tasks: Vec<_> = (0..32).map(|number| tokio::spawn(client(Arc::clone(&server), number))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    let told = server.engine.metrics().render();
    assert!(told.contains("openoxide_http_answers_total{status=\"5xx\"} 0\n"), "{told}");
    assert!(told.contains("openoxide_http_answers_total{status=\"2xx\"} 3200\n"), "{told}");
}

async fn client(server: Arc<Server>, number: usize) {
    let mut stream = server.connect().await;
    let asked = [
        "GET /v1/skills HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET /v1/skills/pdf HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET /v1/skills/pdf/files/SKILL.md HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "POST /v1/skills/pdf/activate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 2\r\n\r\n{}",
    ];
    for round in 0..100 {
        stream.write_all(asked[(number + round) % asked.len()].as_bytes()).await.unwrap();
        let came = read_one(&mut stream).await;
        assert_eq!(came.status, 200, "{came:?}");
    }
}
