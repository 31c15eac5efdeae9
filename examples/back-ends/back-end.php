<?php
// The back end of a shop: it keeps the shop's password, and gets its page a token of the customer who is logged in.
// ERP=https://erp.example.ch SHOP=shop1:PASSWORD CUSTOMERS='{"10007": "PASSWORD"}' php -S 127.0.0.1:PORT back-end.php

/** The number of the customer who is logged in: never what a page says without a proof. */
function loggedIn(array $login): ?string
{
    // A real shop keeps hashes of passwords, limits attempts, and knows later requests of a customer by a session cookie.
    $passwords = json_decode(getenv('CUSTOMERS'), true);
    ['customer' => $number, 'password' => $password] = $login + ['customer' => '', 'password' => ''];
    $isRight = is_string($number) && is_string($password) && hash_equals($passwords[$number] ?? '', $password);
    return $isRight && isset($passwords[$number]) ? $number : null;
}

function answer(): array
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST' || $_SERVER['REQUEST_URI'] !== '/shop/token') {
        return [404, '{}'];
    }
    $login = json_decode(file_get_contents('php://input', length: 4096), true);
    $number = is_array($login) ? loggedIn($login) : null;
    if ($number === null) {
        return [is_array($login) ? 401 : 400, '{}'];
    }
    $headers = ['Authorization: Basic ' . base64_encode(getenv('SHOP')), 'Content-Length: 0'];
    $request = stream_context_create(['http' => ['method' => 'POST', 'header' => $headers]]);
    $token = @file_get_contents(getenv('ERP') . '/www/token?debinr=' . rawurlencode($number), false, $request);
    // What is wrong between back end and server is not the customer's fault.
    return $token === false ? [503, '{}'] : [200, $token];
}

[$status, $body] = answer();
http_response_code($status);
header('Content-Type: application/json');
header('Cache-Control: no-store');
echo $body;
