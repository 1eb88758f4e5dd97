#pragma once
// libpq is loaded when the first connection is wanted, not when the program starts: most who use the program have no catalogue, and Debian's
// package only recommends the library. The types come from its header, so a function that changed would not compile.
#include <dlfcn.h>
#include <stddef.h>
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

/// The functions of libpq that are used, each by its own name.
struct fg_libpq {
    __typeof__(&PQconnectStartParams) _Nonnull connectStartParams;
    __typeof__(&PQconnectPoll) _Nonnull connectPoll;
    __typeof__(&PQsocket) _Nonnull socket;
    __typeof__(&PQstatus) _Nonnull status;
    __typeof__(&PQfinish) _Nonnull finish;
    __typeof__(&PQerrorMessage) _Nonnull errorMessage;
    __typeof__(&PQsetnonblocking) _Nonnull setnonblocking;
    __typeof__(&PQsetErrorVerbosity) _Nonnull setErrorVerbosity;
    __typeof__(&PQsetNoticeProcessor) _Nonnull setNoticeProcessor;
    __typeof__(&PQsendQuery) _Nonnull sendQuery;
    __typeof__(&PQsendQueryParams) _Nonnull sendQueryParams;
    __typeof__(&PQflush) _Nonnull flush;
    __typeof__(&PQconsumeInput) _Nonnull consumeInput;
    __typeof__(&PQisBusy) _Nonnull isBusy;
    __typeof__(&PQgetResult) _Nonnull getResult;
    __typeof__(&PQclear) _Nonnull clear;
    __typeof__(&PQresultStatus) _Nonnull resultStatus;
    __typeof__(&PQresultErrorField) _Nonnull resultErrorField;
    __typeof__(&PQntuples) _Nonnull ntuples;
    __typeof__(&PQnfields) _Nonnull nfields;
    __typeof__(&PQftype) _Nonnull ftype;
    __typeof__(&PQfformat) _Nonnull fformat;
    __typeof__(&PQgetisnull) _Nonnull getisnull;
    __typeof__(&PQgetlength) _Nonnull getlength;
    __typeof__(&PQgetvalue) _Nonnull getvalue;
    __typeof__(&PQcmdTuples) _Nonnull cmdTuples;
    __typeof__(&PQparameterStatus) _Nonnull parameterStatus;
    __typeof__(&PQserverVersion) _Nonnull serverVersion;
    __typeof__(&PQlibVersion) _Nonnull libVersion;
    __typeof__(&PQsslInUse) _Nonnull sslInUse;
    __typeof__(&PQsslAttribute) _Nonnull sslAttribute;
    __typeof__(&PQhost) _Nonnull host;
    __typeof__(&PQport) _Nonnull port;
    __typeof__(&PQtransactionStatus) _Nonnull transactionStatus;
    __typeof__(&PQgetCancel) _Nonnull getCancel;
    __typeof__(&PQcancel) _Nonnull cancel;
    __typeof__(&PQfreeCancel) _Nonnull freeCancel;
    __typeof__(&PQbackendPID) _Nonnull backendPID;
};

/// Finds the functions in an opened library; NULL when all are there, else the name of the first that is missing.
static inline const char *_Nullable fg_libpq_find(void *_Nonnull library, struct fg_libpq *_Nonnull table) {
    if (!(table->connectStartParams = (__typeof__(table->connectStartParams))dlsym(library, "PQconnectStartParams"))) return "PQconnectStartParams";
    if (!(table->connectPoll = (__typeof__(table->connectPoll))dlsym(library, "PQconnectPoll"))) return "PQconnectPoll";
    if (!(table->socket = (__typeof__(table->socket))dlsym(library, "PQsocket"))) return "PQsocket";
    if (!(table->status = (__typeof__(table->status))dlsym(library, "PQstatus"))) return "PQstatus";
    if (!(table->finish = (__typeof__(table->finish))dlsym(library, "PQfinish"))) return "PQfinish";
    if (!(table->errorMessage = (__typeof__(table->errorMessage))dlsym(library, "PQerrorMessage"))) return "PQerrorMessage";
    if (!(table->setnonblocking = (__typeof__(table->setnonblocking))dlsym(library, "PQsetnonblocking"))) return "PQsetnonblocking";
    if (!(table->setErrorVerbosity = (__typeof__(table->setErrorVerbosity))dlsym(library, "PQsetErrorVerbosity"))) return "PQsetErrorVerbosity";
    if (!(table->setNoticeProcessor = (__typeof__(table->setNoticeProcessor))dlsym(library, "PQsetNoticeProcessor"))) return "PQsetNoticeProcessor";
    if (!(table->sendQuery = (__typeof__(table->sendQuery))dlsym(library, "PQsendQuery"))) return "PQsendQuery";
    if (!(table->sendQueryParams = (__typeof__(table->sendQueryParams))dlsym(library, "PQsendQueryParams"))) return "PQsendQueryParams";
    if (!(table->flush = (__typeof__(table->flush))dlsym(library, "PQflush"))) return "PQflush";
    if (!(table->consumeInput = (__typeof__(table->consumeInput))dlsym(library, "PQconsumeInput"))) return "PQconsumeInput";
    if (!(table->isBusy = (__typeof__(table->isBusy))dlsym(library, "PQisBusy"))) return "PQisBusy";
    if (!(table->getResult = (__typeof__(table->getResult))dlsym(library, "PQgetResult"))) return "PQgetResult";
    if (!(table->clear = (__typeof__(table->clear))dlsym(library, "PQclear"))) return "PQclear";
    if (!(table->resultStatus = (__typeof__(table->resultStatus))dlsym(library, "PQresultStatus"))) return "PQresultStatus";
    if (!(table->resultErrorField = (__typeof__(table->resultErrorField))dlsym(library, "PQresultErrorField"))) return "PQresultErrorField";
    if (!(table->ntuples = (__typeof__(table->ntuples))dlsym(library, "PQntuples"))) return "PQntuples";
    if (!(table->nfields = (__typeof__(table->nfields))dlsym(library, "PQnfields"))) return "PQnfields";
    if (!(table->ftype = (__typeof__(table->ftype))dlsym(library, "PQftype"))) return "PQftype";
    if (!(table->fformat = (__typeof__(table->fformat))dlsym(library, "PQfformat"))) return "PQfformat";
    if (!(table->getisnull = (__typeof__(table->getisnull))dlsym(library, "PQgetisnull"))) return "PQgetisnull";
    if (!(table->getlength = (__typeof__(table->getlength))dlsym(library, "PQgetlength"))) return "PQgetlength";
    if (!(table->getvalue = (__typeof__(table->getvalue))dlsym(library, "PQgetvalue"))) return "PQgetvalue";
    if (!(table->cmdTuples = (__typeof__(table->cmdTuples))dlsym(library, "PQcmdTuples"))) return "PQcmdTuples";
    if (!(table->parameterStatus = (__typeof__(table->parameterStatus))dlsym(library, "PQparameterStatus"))) return "PQparameterStatus";
    if (!(table->serverVersion = (__typeof__(table->serverVersion))dlsym(library, "PQserverVersion"))) return "PQserverVersion";
    if (!(table->libVersion = (__typeof__(table->libVersion))dlsym(library, "PQlibVersion"))) return "PQlibVersion";
    if (!(table->sslInUse = (__typeof__(table->sslInUse))dlsym(library, "PQsslInUse"))) return "PQsslInUse";
    if (!(table->sslAttribute = (__typeof__(table->sslAttribute))dlsym(library, "PQsslAttribute"))) return "PQsslAttribute";
    if (!(table->host = (__typeof__(table->host))dlsym(library, "PQhost"))) return "PQhost";
    if (!(table->port = (__typeof__(table->port))dlsym(library, "PQport"))) return "PQport";
    if (!(table->transactionStatus = (__typeof__(table->transactionStatus))dlsym(library, "PQtransactionStatus"))) return "PQtransactionStatus";
    if (!(table->getCancel = (__typeof__(table->getCancel))dlsym(library, "PQgetCancel"))) return "PQgetCancel";
    if (!(table->cancel = (__typeof__(table->cancel))dlsym(library, "PQcancel"))) return "PQcancel";
    if (!(table->freeCancel = (__typeof__(table->freeCancel))dlsym(library, "PQfreeCancel"))) return "PQfreeCancel";
    if (!(table->backendPID = (__typeof__(table->backendPID))dlsym(library, "PQbackendPID"))) return "PQbackendPID";
    return NULL;
}
