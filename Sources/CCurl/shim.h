#pragma once
#include <curl/curl.h>

/* Swift cannot call C variadics: one typed function per kind of argument. */
static inline CURLcode fg_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fg_set_offset(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fg_set_text(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fg_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fg_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fg_set_read(CURL *h, curl_read_callback f) { return curl_easy_setopt(h, CURLOPT_READFUNCTION, f); }
static inline CURLcode fg_set_seek(CURL *h, curl_seek_callback f) { return curl_easy_setopt(h, CURLOPT_SEEKFUNCTION, f); }
static inline CURLcode fg_set_write(CURL *h, CURLoption o, curl_write_callback f) { return curl_easy_setopt(h, o, f); }
static inline CURLcode fg_set_progress(CURL *h, curl_xferinfo_callback f) { return curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, f); }
static inline CURLcode fg_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode fg_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode fg_get_offset(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }

/* Macros that Swift does not import. */
static const size_t fg_read_abort = CURL_READFUNC_ABORT;
static const long fg_http_1_1 = CURL_HTTP_VERSION_1_1;
static const long fg_http_auto = CURL_HTTP_VERSION_2TLS;
static const long fg_tls_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long fg_tls_1_2_only = CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2;
static const long fg_ftp_all_tls = CURLUSESSL_ALL;
/* Where another connection has just made the folder: the other way forgets that it never entered it (libcurl 7.88). */
static const long fg_make_folders = CURLFTP_CREATE_DIR_RETRY;
static const long fg_ssh_key_and_password = CURLSSH_AUTH_PUBLICKEY | CURLSSH_AUTH_PASSWORD;
