<?php
// A receiver of events: SECRET=whsec_... HANDLED=FOLDER php -S 127.0.0.1:PORT receiver.php
// FOLDER keeps the ids of handled events; a real receiver keeps them in its database, together with its own changes.

// Whoever recorded a request could send it again later.
const MOST_SECONDS = 300;

function isSigned(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($time) || abs(time() - (int) $time) > MOST_SECONDS) {
        return false;
    }
    $key = base64_decode(substr(getenv('SECRET'), strlen('whsec_')));
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($wanted, $signature)) {
            return true;
        }
    }
    return false;
}

function receive(string $body): int
{
    if (!isSigned($body)) {
        return 401;
    }
    // Of two requests with one id, one creates the file. When none can, the server sends the event again later.
    $handled = getenv('HANDLED') . '/' . hash('sha256', $_SERVER['HTTP_WEBHOOK_ID']);
    if (!@fopen($handled, 'x')) {
        return file_exists($handled) ? 204 : 503;
    }
    $event = json_decode($body, true);
    $data = $event['data'];
    $number = $data['AuftNr'] ?? $data['DebiNr'] ?? '';
    file_put_contents('php://stdout', "{$event['type']} {$data['method']} $number\n");
    return 204;
}

http_response_code(receive(file_get_contents('php://input')));
